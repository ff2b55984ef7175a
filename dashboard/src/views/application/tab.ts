// What every tab of an application is given.

import type { Application } from '../../types.ts'

export interface TabProps {
  readonly application: Application
  /** Changes whenever the application changes: time to load again. */
  readonly version: number
}
