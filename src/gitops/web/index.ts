// Requests to services outside: git servers' APIs, plug-ins, receivers of notifications.
export * from './client.ts'
export { WebFault } from './exchange.ts'
export { type GithubApp, githubAppToken } from './github-app.ts'
