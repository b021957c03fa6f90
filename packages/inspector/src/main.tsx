import { render } from 'preact'
import './style/index.css'
import { listen } from './api/events.ts'
import { App } from './shell/app.tsx'

// First of all, so that nothing happens unheard between what a page reads and the events that follow; and whatever
// page is shown, it is known whether the server is there.
listen(() => {})
render(<App />, document.getElementById('app')!)
