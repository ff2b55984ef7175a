// Triggers and templates that are there without being configured: those of Argo CD's catalogue, by their names and with their
// conditions. One of the same name in the ConfigMap stands for it.

const operation = 'app.status.operationState'
const oncePerRevision = 'app.status?.operationState?.syncResult?.revision'
const ended = (phases: string): string => `app.status?.operationState != nil and ${operation}.phase in [${phases}]`
/** It became healthy in this deployment, and not long before it. */
const isFresh = [
  `(!time.Parse(app.status.health.lastTransitionTime).Add(1 * time.Minute).Before(time.Parse(${operation}.finishedAt))`,
  `time.Parse(app.status.health.lastTransitionTime).Before(time.Parse(${operation}.startedAt)))`,
].join(' or ')

const trigger = (when: string, send: string, oncePer = oncePerRevision) => [{ when, send: [send], oncePer }]

export const catalogueTriggers: Readonly<Record<string, unknown>> = {
  'on-created': trigger('true', 'app-created', 'app.metadata.name'),
  'on-deleted': trigger('app.metadata.deletionTimestamp != nil', 'app-deleted', 'app.metadata.name'),
  'on-deployed': trigger(
    `${ended("'Succeeded'")} and app.status.health.status == 'Healthy' and ${isFresh}`,
    'app-deployed',
  ),
  'on-health-degraded': trigger("app.status?.health?.status == 'Degraded'", 'app-health-degraded'),
  'on-sync-failed': trigger(ended("'Error', 'Failed'"), 'app-sync-failed'),
  'on-sync-running': trigger(ended("'Running'"), 'app-sync-running'),
  'on-sync-status-unknown': trigger("app.status?.sync?.status == 'Unknown'", 'app-sync-status-unknown'),
  'on-sync-succeeded': trigger(ended("'Succeeded'"), 'app-sync-succeeded'),
}

const page = '{{.context.argocdUrl}}/applications/{{.app.metadata.name}}'
const field = (title: string, value: string): string => `{"title": "${title}", "value": ${value}, "short": true}`

/** A box with the application's state and its conditions. */
const attachments = (color: string, ...fields: readonly string[]): string => `[{
  "title": {{.app.metadata.name | toJson}},
  "title_link": {{printf "%s/applications/%s" .context.argocdUrl .app.metadata.name | toJson}},
  "color": "${color}",
  "fields": [
    ${fields.join(',\n    ')},
    ${field('Repository', '{{if .app.spec.source}}{{.app.spec.source.repoURL | toJson}}{{else}}{{range $index, $source := .app.spec.sources}}{{if not $index}}{{$source.repoURL | toJson}}{{end}}{{end}}{{end}}')}
    {{range .app.status.conditions}}, {"title": {{.type | toJson}}, "value": {{.message | toJson}}, "short": true}{{end}}
  ]
}]`

const syncStatus = field('Sync Status', '{{.app.status.sync.status | toJson}}')
const healthStatus = field('Health Status', '{{.app.status.health.status | toJson}}')
const name = '{{.app.metadata.name}}'
const slackMark = (mark: string): string => `{{if eq .serviceType "slack"}}:${mark}: {{end}}`
const details = `\nSync operation details are available at: ${page}?operation=true .`
const plain = (message: string) => ({ message, email: { subject: message } })

export const catalogueTemplates: Readonly<Record<string, unknown>> = {
  'app-created': plain(`Application ${name} has been created.`),
  'app-deleted': plain(`Application ${name} has been deleted.`),
  'app-deployed': {
    message: `${slackMark('white_check_mark')}Application ${name} is now running new version of deployments manifests.`,
    email: { subject: `New version of an application ${name} is up and running.` },
    slack: {
      attachments: attachments('#18be52', syncStatus, field('Revision', '{{.app.status.sync.revision | toJson}}')),
    },
  },
  'app-health-degraded': {
    message: `${slackMark('exclamation')}Application ${name} has degraded.\nApplication details: ${page}.`,
    email: { subject: `Application ${name} has degraded.` },
    slack: { attachments: attachments('#f4c030', healthStatus) },
  },
  'app-sync-failed': {
    message: `${slackMark('exclamation')}The sync operation of application ${name} has failed at {{.app.status.operationState.finishedAt}} with the following error: {{.app.status.operationState.message}}${details}`,
    email: { subject: `Failed to sync application ${name}.` },
    slack: { attachments: attachments('#E96D76', syncStatus) },
  },
  'app-sync-running': {
    message: `The sync operation of application ${name} has started at {{.app.status.operationState.startedAt}}.${details}`,
    email: { subject: `Start syncing application ${name}.` },
    slack: { attachments: attachments('#0DADEA', syncStatus) },
  },
  'app-sync-status-unknown': {
    message: `${slackMark('exclamation')}Application ${name} sync is 'Unknown'.\nApplication details: ${page}.{{range .app.status.conditions}}\n  * {{.message}}{{end}}`,
    email: { subject: `Application ${name} sync status is 'Unknown'` },
    slack: { attachments: attachments('#E96D76', syncStatus) },
  },
  'app-sync-succeeded': {
    message: `${slackMark('white_check_mark')}Application ${name} has been successfully synced at {{.app.status.operationState.finishedAt}}.${details}`,
    email: { subject: `Application ${name} has been successfully synced.` },
    slack: { attachments: attachments('#18be52', syncStatus) },
  },
}
