// Paths of requests that are for no resource, as `/healthz` or `/metrics/*`.

import { type FieldError, invalid } from '../field-error.ts'

export function checkNonResourceUrl(url: string, path: string, errors: FieldError[]): void {
  const fault = faultOf(url)
  if (fault !== undefined) errors.push(invalid(path, url, fault))
}

function faultOf(url: string): string | undefined {
  if (url === '') return 'must not be empty'
  if (url === '/') return undefined
  if (!url.startsWith('/')) return 'must start with slash'
  if (url.includes(' ')) return 'must not contain white-space'
  if (url.includes('//')) return 'must not contain double slash'
  const star = url.indexOf('*')
  if (star < 0) return undefined
  return star === url.length - 1 && url.endsWith('/*') ? undefined : 'wildcard can only do suffix matching'
}
