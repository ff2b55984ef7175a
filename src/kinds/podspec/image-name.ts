// The tag of an image name, as the distribution reference grammar reads it: the pull policy depends on it.

const component = '[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*'
const domain =
  '(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?(?:\\.[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?'
const reference = new RegExp(
  `^(?:${domain}/)?${component}(?:/${component})*(?::([\\w][\\w.-]{0,127}))?(@[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,})?$`,
)

/** The tag; `latest` if there is neither tag nor digest; empty if the name is not an image reference. */
export function imageTag(image: string): string {
  const match = reference.exec(image)
  if (match === null) return ''
  return match[1] ?? (match[2] === undefined ? 'latest' : '')
}
