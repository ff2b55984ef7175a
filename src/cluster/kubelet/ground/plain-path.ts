/** Without a slash at its end. */
export const plainPath = (path: string): string => (path.length > 1 ? path.replace(/\/+$/, '') : path)
