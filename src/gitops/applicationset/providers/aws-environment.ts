/** Environment variables, of which only what AWS's own programs read is read: keys, region, addresses. */
export type AwsEnvironment = Readonly<Record<string, string | undefined>>
