// The structural schema of a WorkloadProfile, field by field with what each means.

import type { JsonObject } from '#objects'
import {
  anything,
  bytes,
  flag,
  labelSelector,
  list,
  object,
  oneOf,
  seconds,
  text,
  textMap,
  texts,
  whole,
} from '../lab/schema-words.ts'
import { container } from './container-schema.ts'

const match = object(
  {
    images: texts(
      'Globs of images, as the manifest writes them or in full. Without a tag: any tag, so nginx means nginx:1.27 too.',
    ),
    containers: texts('Globs of container names; init containers, sidecars and ephemeral ones too.'),
    commands: texts("Globs of the container's command and args, joined by blanks; an empty text means no command."),
    withoutEnv: texts('Names of variables of which the container sets none (one with envFrom may set any).'),
    pods: texts('Globs of pod names.'),
    podSelector: labelSelector('Labels of the pods.'),
    namespaces: texts('Globs of the namespaces of the pods.'),
  },
  'What the profile is about. Every field that is given must match, each by any of its entries; an empty match means all. In globs * stands for any text and ? for one character.',
)

const pull = object(
  {
    seconds: seconds('How long the pull takes; default 0.5.'),
    error: oneOf(
      ['notFound', 'unauthorized', 'unreachable', 'tooManyRequests'],
      'The pull fails: no such image (404), credentials are wanted (401), no answer from the registry, or too many pulls (429).',
    ),
    message: text("The runtime's error text instead of the usual one; with it the pull fails even without error."),
    hangs: flag('The registry accepts the connection and never answers.'),
    sizeBytes: bytes('Size of the image that was pulled.'),
  },
  'One pull.',
)

const image = object(
  {
    present: flag('The image is on every node from the start.'),
    sizeBytes: bytes('Size of the image.'),
    reportedName: text('How the runtime calls it in the status of containers.'),
    imageID: text('Its id in the status of containers.'),
    user: text('User of its configuration, for runAsNonRoot; empty is root.'),
    private: flag(
      'Its registry wants credentials: pulls fail with 401 unless the pod has an imagePullSecret for it in its namespace.',
    ),
    pulls: list(pull, 'The first, second … pull on a node; the last one holds for all further ones.'),
  },
  'What the images do. Only in profiles that match by images and by nothing else: a node has an image for all its pods.',
)

const pod = object(
  {
    sandboxError: text("The runtime cannot make the pod's sandbox: its error text."),
    storage: object(
      {
        fromSeconds: seconds("Since a container's start."),
        totalBytes: bytes('All that its containers and volumes hold; default: the sum of what follows.'),
        volumes: {
          type: 'object',
          additionalProperties: { type: 'integer', format: 'int64' },
          description: 'Bytes in each emptyDir volume.',
        },
        containers: {
          type: 'object',
          additionalProperties: { type: 'integer', format: 'int64' },
          description: 'Bytes in the writable layer of each container.',
        },
      },
      'Local storage that it takes; more than its limits gets it evicted.',
    ),
  },
  'What happens to the pod as a whole. The match fields containers, commands and images mean any of its containers.',
)

const webhook = object(
  {
    delaySeconds: seconds('How long it takes to answer; longer than timeoutSeconds fails the call.'),
    crash: flag('It closes the connection without an answer.'),
    deny: object(
      { message: text('Why.'), code: whole('HTTP code of the refusal; default 403.') },
      'It refuses the request.',
    ),
    mutate: object(
      {
        labels: textMap('Labels that it adds to the object.'),
        annotations: textMap('Annotations that it adds to the object.'),
        env: list(anything('As in a container.'), 'Variables that it adds to each container of a pod.'),
        sidecar: anything('A container that it adds to a pod.'),
      },
      'What it changes.',
    ),
    warnings: texts('Warnings that it sends to the client.'),
    conversionError: text(
      'Asked to convert custom resources, it answers with this error; without it, it passes them on under the version that is wanted.',
    ),
    forwardTo: text('URL of a real server that answers in its place.'),
  },
  'How the server in the containers answers when it is called as a webhook, for admission or for conversion.',
)

export const workloadProfileSpec: JsonObject = {
  ...object(
    {
      description: text('What it is for, in a sentence; explain shows it.'),
      priority: {
        type: 'integer',
        format: 'int32',
        description: 'Where several match, the highest says first; then by name. Default 0.',
      },
      match,
      image,
      container,
      pod,
      webhook,
    },
    'Which workloads, and what they do.',
    ['match'],
  ),
  'x-kubernetes-validations': [
    {
      rule: '!has(self.image) || (has(self.match.images) && !has(self.match.containers) && !has(self.match.commands) && !has(self.match.withoutEnv) && !has(self.match.pods) && !has(self.match.podSelector) && !has(self.match.namespaces))',
      message: 'image needs a match by images and by nothing else: a node has an image for all its pods',
    },
  ],
}
