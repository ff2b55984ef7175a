// The structural schema of a Fault, field by field with what each means.

import type { JsonObject } from '#objects'
import { labelSelector, nodeMatch, object, oneOf, seconds, text, textMap, texts, whole } from '../lab/schema-words.ts'

const nodeOffline = object(
  nodeMatch,
  'The kubelets of these nodes are silent: no leases, no status, nothing new is taken up, while containers go on, cut off: no request reaches them or leaves the node, and its proxy keeps its tables. Afterwards they read what they should run and converge. Without nodes and nodeSelector: all nodes.',
)

const nodeReboot = object(
  {
    ...nodeMatch,
    downSeconds: seconds('How long they are down; default 60.'),
    everySeconds: { ...seconds('Again and again, so far apart. Default: once.'), minimum: 1 },
  },
  'These machines are started anew: they are silent for a while, then their boot id is another one, and all containers that ran on them have ended and are restarted. Without nodes and nodeSelector: all nodes.',
)

const nodePressure = object(
  {
    ...nodeMatch,
    available: textMap(
      'How much is left, by signal of the kubelet: memory.available, nodefs.available, imagefs.available, pid.available, nodefs.inodesFree, imagefs.inodesFree; quantities (50Mi) or shares (5%).',
    ),
  },
  'Something beside the pods takes the room of these nodes, whatever pods leave. Without nodes and nodeSelector: all nodes.',
  ['available'],
)

const networkNotReady = object(
  {
    ...nodeMatch,
    reason: text("The runtime's reason; default NetworkPluginNotReady."),
    message: text("The runtime's message; default: Network plugin returns error: cni plugin not initialized."),
  },
  'The network plug-in of these nodes does not work: the nodes are NotReady, and no pod begins that is not on the host network. Without nodes and nodeSelector: all nodes.',
)

const runtimeDown = object(
  {
    ...nodeMatch,
    message: text('What every call to the runtime gives instead of the usual error.'),
  },
  'The container runtime of these nodes does not answer: containers go on, their kubelet sees nothing of them and does nothing with them, and the nodes are NotReady after 30 s. Without nodes and nodeSelector: all nodes.',
)

const storageFailing = object(
  {
    storage: texts(
      'Globs of kinds of storage (nfs, iscsi, csi), servers, drivers, volumes or PersistentVolumes. Default: all.',
    ),
    step: oneOf(['attach', 'mount'], 'What fails; default mount. Only drivers attach.'),
    message: text('The error text instead of the usual one.'),
  },
  'Storage does not answer: volumes are not attached or not mounted. What is mounted stays mounted.',
)

const registryDown = object(
  {
    hosts: texts('Globs of registries, such as docker.io or *.gcr.io. Default: all.'),
    error: oneOf(
      ['unreachable', 'unauthorized', 'notFound', 'tooManyRequests'],
      'How pulls fail; default unreachable.',
    ),
    message: text("The runtime's error text instead of the usual one."),
  },
  'Pulls from these registries fail. Images that a node has stay there.',
)

const containerKilled = object(
  {
    namespaces: texts('Globs of namespaces. Default: all.'),
    pods: texts('Globs of pod names.'),
    podSelector: labelSelector('Labels of the pods.'),
    containers: texts('Globs of container names. Default: all.'),
    signal: whole(
      'The signal; default 9. 15 is acted on as the container does, others end it with 128 and the signal.',
      1,
    ),
    everySeconds: { ...seconds('Again and again, so far apart. Default: once.'), minimum: 1 },
  },
  'Running containers are killed: their kubelet restarts them. Once means all that match at the moment when the first matches.',
)

const apiErrors = object(
  {
    verbs: texts('get, list, watch, create, update, patch, delete, deletecollection. Default: all.'),
    resources: texts('Plural names: pods, pods/status, deployments.apps; globs. Default: all.'),
    namespaces: texts('Globs of namespaces. Default: all, and what is in none.'),
    users: texts(
      'Globs of users, such as system:serviceaccount:kube-system:deployment-controller or kubernetes-admin. Default: all.',
    ),
    rate: {
      type: 'number',
      minimum: 0,
      maximum: 1,
      description: 'Share of the requests that fail; default 1, with latencySeconds alone 0.',
    },
    code: { ...whole('HTTP code of the failures; default 500.', 400), maximum: 599 },
    message: text('Text of the failures.'),
    latencySeconds: seconds('Every matching request takes so much longer.'),
  },
  'Requests to the API server fail or are slow. Requests for Faults never are, nor is discovery.',
)

const loopPaused = object(
  { loops: texts('Globs of loop names, as homeostat status lists them.') },
  'These loops do nothing.',
  ['loops'],
)

const watchLost = object(
  {
    loops: texts('Globs of loop names: all that they watch.'),
    kinds: texts('Kinds or plural names: Pod, pods, deployments.apps.'),
  },
  'Watches break and do not come back. A cache is shared by all loops of the process: a kind that one loop does not hear of, no loop hears of.',
)

const webhookFailing = object(
  {
    webhooks: texts('Globs of webhook names, as in the configurations. Default: all.'),
    error: oneOf(
      ['timeout', 'refused', 'internalError'],
      'No answer within timeoutSeconds, no connection (default), or HTTP 500.',
    ),
    message: text('The error text instead of the usual one.'),
  },
  'Calls of admission webhooks fail.',
)

const troubles = {
  nodeOffline,
  nodeReboot,
  nodePressure,
  networkNotReady,
  runtimeDown,
  storageFailing,
  registryDown,
  containerKilled,
  apiErrors,
  loopPaused,
  watchLost,
  webhookFailing,
}

export const faultSpec: JsonObject = {
  ...object(
    { description: text('What it is for, in a sentence.'), ...troubles },
    'What is broken while the Fault exists.',
  ),
  'x-kubernetes-validations': [
    {
      rule: Object.keys(troubles)
        .map((name) => `has(self.${name})`)
        .join(' || '),
      message: `one of ${Object.keys(troubles).join(', ')} is required`,
    },
  ],
}
