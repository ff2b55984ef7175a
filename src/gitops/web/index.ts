// Requests to services outside: git servers' APIs, plug-ins, receivers of notifications.
export { type AwsKeys, signedHeaders } from './aws-signature.ts'
export * from './client.ts'
export { type GithubApp, githubAppToken } from './github-app.ts'
export { open, type Tls } from './open.ts'
export { noProxies, type Proxies, proxiesOf, proxyFor, proxyVariables } from './proxy.ts'
export { WebFault } from './web-fault.ts'
