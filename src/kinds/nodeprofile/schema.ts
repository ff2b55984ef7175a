// The structural schema of a NodeProfile, field by field with what each means.

import type { JsonObject } from '#objects'
import { anything, list, nodeMatch, object, oneOf, quantity, seconds, text, texts, whole } from '../lab/schema-words.ts'

const curve = (what: string): JsonObject =>
  list(
    object(
      {
        fromSeconds: seconds('Since the profile was made; default 0.'),
        value: quantity('How much, such as 20Gi.'),
        ramp: {
          type: 'boolean',
          description: 'Reached in a straight line from the point before, rather than at once.',
        },
      },
      'One point of the curve.',
      ['value'],
    ),
    what,
  )

const amounts = (description: string): JsonObject => ({
  type: 'object',
  additionalProperties: { 'x-kubernetes-int-or-string': true },
  description,
})

const resources = ['memory', 'nodefs', 'imagefs', 'pid'].map((name) => `${name}.available`)
const inodes = ['nodefs', 'imagefs'].map((name) => `${name}.inodesFree`)
const signals = [...resources, ...inodes]

const bySignal = (items: JsonObject, description: string): JsonObject => ({
  type: 'object',
  additionalProperties: { type: 'string', maxLength: 64, ...items },
  maxProperties: signals.length,
  description,
  'x-kubernetes-validations': [
    {
      rule: `self.all(signal, signal in [${signals.map((signal) => `'${signal}'`).join(', ')}])`,
      message: `unsupported eviction signal: there are ${signals.join(', ')}`,
    },
  ],
})
const amount = { pattern: '^\\d+(\\.\\d+)?(%|[numkMGTPE]|[KMGTPE]i|[eE]\\d+)?$' }
const duration = { pattern: '^(\\d+\\.?\\d*(ns|us|µs|ms|s|m|h))+$' }

const fields: JsonObject = object(
  {
    description: text('What it is for, in a sentence.'),
    priority: {
      type: 'integer',
      format: 'int32',
      description: 'Where several match, the highest says first; then by name. Default 0.',
    },
    match: object(nodeMatch, 'Which nodes. All fields that are given must match; default: all nodes.'),
    staticPods: list(
      anything('A pod, as a file in the folder would have it.'),
      "Manifests in the kubelet's folder: it starts these pods without the API server and shows mirror pods there.",
    ),
    files: list(
      object(
        {
          path: text('Absolute path.'),
          type: oneOf(
            ['Directory', 'File', 'Socket', 'CharDevice', 'BlockDevice', 'Absent'],
            'What it is; default Directory. Absent: what a node usually has there is missing.',
          ),
        },
        'Something on the disk of the node.',
        ['path'],
      ),
      'What hostPath volumes find beside what a node usually has.',
    ),
    resources: amounts('Extended resources that devices of the node offer, such as example.com/gpu: 2.'),
    csiDrivers: list(
      object(
        {
          name: text('Name of the driver.'),
          count: whole('How many volumes of it the node can have; default: any number.'),
          topologyKeys: texts('Labels of the node that say where its volumes can be reached.'),
        },
        'A driver on the node.',
        ['name'],
      ),
      'Drivers that register with the kubelet, beside those that have a CSIDriver object.',
    ),
    usage: object(
      {
        memory: curve('Memory; default 500Mi.'),
        nodefs: curve("Bytes in the node's file system, images apart; default 4Gi."),
        imagefs: curve("Bytes in the images' file system beside images and containers; default 0."),
        inodes: curve("Inodes of the node's file system; default 100000."),
        pids: curve('Processes; default 150.'),
      },
      'What is taken beside the pods.',
    ),
    imagePulls: object(
      {
        maxParallel: whole('So many at a time, the others wait: 1 is serializeImagePulls. Default: any number.', 1),
        bandwidth: quantity(
          'Bytes in a second that one download gets at most, such as 20Mi. Default: as fast as the image says.',
        ),
      },
      'How the node pulls images.',
    ),
    runtimeHandlers: texts(
      'Handlers of RuntimeClasses that the container runtime knows beside runc, such as runsc. Pods of others get no sandbox.',
    ),
    appArmor: object(
      {
        enabled: {
          type: 'boolean',
          description: 'Whether the kernel has it; default true. Without it, pods that ask for a profile are refused.',
        },
        profiles: texts(
          'Names of profiles that are loaded, for containers of type Localhost. Others cannot be created.',
        ),
      },
      'AppArmor on the node.',
    ),
    imagefsCapacity: quantity('Size of a file system of its own for images; default: images share that of the node.'),
    evictionHard: bySignal(
      amount,
      `Hard eviction thresholds by signal (${signals.join(', ')}), as quantities or shares. Default: memory.available 100Mi, nodefs.available 10%, imagefs.available 15%, inodesFree of both 5%. Given, it replaces all of these.`,
    ),
    evictionSoft: bySignal(
      amount,
      'Soft eviction thresholds by signal: met, they are pressure at once, but pods are evicted only after the grace period.',
    ),
    evictionSoftGracePeriod: bySignal(
      duration,
      'For how long each soft threshold has to be met before pods are evicted, such as 1m30s. Required for each of them, in the same profile.',
    ),
    evictionMinimumReclaim: bySignal(
      amount,
      'How much more than the threshold has to be there again, by signal, before evictions for it end. Default 0.',
    ),
    evictionMaxPodGracePeriod: whole(
      'Seconds that pods evicted for a soft threshold get at most to end. Default 0: their own grace period. (Hard thresholds leave a second.)',
    ),
    evictionPressureTransitionSeconds: seconds(
      'How long a pressure condition stays after it was last seen; default 300.',
    ),
  },
  'Which nodes, and what they are like.',
)

export const nodeProfileSpec: JsonObject = {
  ...fields,
  'x-kubernetes-validations': [
    {
      rule: '!has(self.evictionSoft) || self.evictionSoft.all(signal, has(self.evictionSoftGracePeriod) && signal in self.evictionSoftGracePeriod)',
      message: 'grace period must be specified for each soft eviction threshold, in evictionSoftGracePeriod',
    },
  ],
}
