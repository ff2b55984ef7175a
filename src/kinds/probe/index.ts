// The kind Probe: steady requests through the service tables of the simulated cluster, counted in its status.

import type { JsonObject } from '#objects'
import type { Kind } from '../kind.ts'
import {
  flag,
  labDefinition,
  labGroup,
  labVersion,
  list,
  object,
  oneOf,
  quantity,
  text,
  whole,
} from '../lab/schema-words.ts'
import type { TrafficProbe as TrafficProbeObject } from './types.ts'

export type * from './types.ts'

export type TrafficProbe = TrafficProbeObject
export const TrafficProbe: Kind<TrafficProbeObject> = {
  group: labGroup,
  version: labVersion,
  kind: 'Probe',
  resource: 'probes',
  namespaced: false,
}

const time = (description: string): JsonObject => ({ type: 'string', format: 'date-time', description })
const count = (description: string): JsonObject => ({ type: 'integer', format: 'int64', minimum: 0, description })
const duration = (description: string): JsonObject => ({ type: 'number', minimum: 0.01, maximum: 3600, description })

const target: JsonObject = {
  ...object(
    {
      service: text('A Service, called by its name in DNS and through the table of the node that sends.'),
      namespace: text('Of the Service; default "default".'),
      host: text('In place of a Service: a name for DNS, the name of a node (for its node ports), or an address.'),
      port: quantity('A number, or the name of a port of the Service; may be left out where it has only one.'),
    },
    'Where requests go.',
  ),
  'x-kubernetes-validations': [
    { rule: 'has(self.service) != has(self.host)', message: 'give either service or host' },
    { rule: '!has(self.__namespace__) || has(self.service)', message: 'namespace belongs to service' },
  ],
}

const origin = object(
  {
    node: text('A node.'),
    pod: text('A pod: requests are sent while it runs, by the table of its node.'),
    namespace: text('Of the pod; without a pod: where short names of hosts are looked up. Default "default".'),
    outside: flag(
      'From outside of the cluster: by the load balancer of the Service, or an external address, or its node port, by way of a ready node.',
    ),
  },
  'Where requests come from; without node, pod and outside: from every node.',
)

const spec = object(
  {
    description: text('What it is for, in a sentence.'),
    target,
    from: {
      ...origin,
      'x-kubernetes-validations': [
        {
          rule: '!has(self.outside) || !self.outside || (!has(self.node) && !has(self.pod))',
          message: 'outside is neither a node nor a pod',
        },
      ],
    },
    protocol: oneOf(['HTTP', 'TCP', 'UDP'], 'HTTP (default) looks at the status too: 400 and above is a failure.'),
    intervalSeconds: duration('One request so often from each origin; default 1.'),
    timeoutSeconds: duration('What is not answered within this has failed; default 1.'),
    suspend: flag('Sends nothing while it is true.'),
  },
  'What is sent.',
  ['target'],
)

const failure = object(
  {
    time: time('When the request was sent.'),
    reason: text(
      'NameNotFound, NoSuchPort, NoEndpoints, NoLocalEndpoints, NotAllowed, NoTable, NotExternal, ConnectionRefused, Timeout, NodeOffline, or HTTP and the status.',
    ),
    message: text('What the client saw, and why.'),
    node: text('The node that sent it.'),
    endpoint: text('The endpoint that was chosen.'),
    pod: text('The pod behind it.'),
  },
  'The last request that failed.',
)

const status = object(
  {
    observedGeneration: {
      ...whole('The generation that is counted for: a changed spec counts anew.'),
      format: 'int64',
    },
    target: text('Where requests go, in short.'),
    origins: whole('How many places send requests.'),
    since: time('Since when is counted.'),
    until: time('Up to when is counted.'),
    total: count('Requests that were sent.'),
    succeeded: count('Requests that were answered well.'),
    failed: count('All others.'),
    consecutiveFailures: count('Failures since the last success.'),
    lastFailure: failure,
    failures: list(
      object(
        { reason: text('As in lastFailure.'), count: count('How many.'), lastTime: time('When last.') },
        'Failures of one kind.',
      ),
      'Failures by reason, the most frequent first.',
    ),
    conditions: list(
      object(
        {
          type: text('Succeeding: whether the last request was answered well.'),
          status: oneOf(['True', 'False', 'Unknown'], 'Whether it is so.'),
          reason: text('RequestsSucceed, the reason of the last failure, or NothingSent.'),
          message: text('Why, in a sentence.'),
          lastTransitionTime: time('Since when.'),
          observedGeneration: { ...whole('The generation that it is about.'), format: 'int64' },
        },
        'A condition.',
        ['type', 'status'],
      ),
      'Conditions.',
    ),
  },
  'What was met. Written at most every five seconds, and every minute while nothing changes.',
)

export const probeDefinition = labDefinition({
  kind: 'Probe',
  plural: 'probes',
  shortNames: [],
  description:
    'Probe sends steady requests to a Service or host, through the table of the node that they come from, and counts what they meet. Nothing is really sent: each request is decided by what tables, nodes and containers are at its moment.',
  spec,
  status,
  columns: [
    { name: 'Target', type: 'string', jsonPath: '.status.target' },
    { name: 'Total', type: 'integer', jsonPath: '.status.total' },
    { name: 'Failed', type: 'integer', jsonPath: '.status.failed' },
    { name: 'Succeeding', type: 'string', jsonPath: '.status.conditions[?(@.type=="Succeeding")].status' },
    { name: 'Last-Failure', type: 'string', jsonPath: '.status.lastFailure.reason' },
    { name: 'Message', type: 'string', jsonPath: '.status.lastFailure.message', priority: 1 },
  ],
})
