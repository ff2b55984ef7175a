// Starts the page.

import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Page } from './page.tsx'
import './style/tokens.css'
import './style/frame.css'
import './style/controls.css'
import './style/boxes.css'
import './style/tree.css'
import './style/findings.css'

const root = document.getElementById('root')
if (root !== null)
  createRoot(root).render(
    <StrictMode>
      <Page />
    </StrictMode>,
  )
