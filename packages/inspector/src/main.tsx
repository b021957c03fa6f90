import { render } from 'preact'
import './style/index.css'
import { listen } from './api/events.ts'
import { App } from './shell/app.tsx'

// This comes first, so that no event is lost between the page's first calls and its listeners. It also keeps
// the connection open on every page, so that the page knows whether the server is reachable.
listen(() => {})
render(<App />, document.getElementById('app')!)
