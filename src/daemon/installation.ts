// Where this program is installed: its version and the built page. The same from source and from the build.

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = new URL('../../', import.meta.url)

export const programVersion: string = (
  JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { readonly version: string }
).version

/** Folder of the built page. */
export const dashboardAssets: string = fileURLToPath(new URL('dist/dashboard', root))
