// Names of images as nodes report them.

/** `nginx` is reported as `nginx:latest`. */
export const fullImageName = (name: string): string =>
  name.lastIndexOf(':') <= name.lastIndexOf('/') ? `${name}:latest` : name
