import { render } from 'preact'
import './style/index.css'
import { App } from './shell/app.tsx'

render(<App />, document.getElementById('app')!)
