// Services, Ingresses and NetworkPolicies, as people write them.

import fc from 'fast-check'
import { type Fields, labels, named, some, spec, withSome, word } from './pods.ts'

const servicePorts = named(
  withSome(
    { port: fc.constantFrom(80, 443, 53) },
    {
      protocol: fc.constantFrom('TCP', 'UDP'),
      targetPort: fc.constantFrom<string | number>(8080, 'http'),
      appProtocol: fc.constant('http'),
    },
  ),
  ({ port, protocol = 'TCP' }) => `${port}/${protocol}`,
).map((list) => (list.length === 1 ? list : list.map((each, index) => ({ name: `p${index}`, ...each }))))
export const service = spec(
  withSome(
    { ports: servicePorts },
    {
      selector: labels,
      type: fc.constantFrom('ClusterIP', 'NodePort', 'LoadBalancer'),
      sessionAffinity: fc.constantFrom('None', 'ClientIP'),
      publishNotReadyAddresses: fc.boolean(),
      ipFamilyPolicy: fc.constant('SingleStack'),
    },
  ),
)
export const headless = spec(fc.record({ clusterIP: fc.constant('None'), selector: labels, ports: servicePorts }))
export const outside = spec(fc.constant<Fields>({ type: 'ExternalName', externalName: 'example.com' }))

const backend = fc.constantFrom<Fields>(
  { service: { name: 'web', port: { number: 80 } } },
  { service: { name: 'web', port: { name: 'http' } } },
)
const ingressRule = withSome(
  {
    http: fc.record({
      paths: fc.array(
        fc.record({ path: fc.constantFrom('/', '/a'), pathType: fc.constantFrom('Prefix', 'Exact'), backend }),
        { minLength: 1, maxLength: 2 },
      ),
    }),
  },
  { host: fc.constantFrom('a.example.com', '*.example.com') },
)
export const ingress = spec(
  withSome(
    { rules: fc.array(ingressRule, { minLength: 1, maxLength: 2 }) },
    {
      ingressClassName: word,
      tls: fc.constant([{ hosts: ['a.example.com'], secretName: 'tls' }]),
      defaultBackend: backend,
    },
  ),
)
const peer = fc.constantFrom<Fields>(
  { podSelector: { matchLabels: { app: 'web' } } },
  { namespaceSelector: {} },
  { ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] } },
)
const policyPorts = fc.constantFrom<Fields[]>(
  [{ port: 80 }],
  [
    { port: 'http', protocol: 'TCP' },
    { port: 53, protocol: 'UDP', endPort: 60 },
  ],
)
export const networkPolicy = spec(
  withSome(
    { podSelector: fc.constantFrom<Fields>({}, { matchLabels: { app: 'web' } }) },
    {
      policyTypes: fc.constantFrom(['Ingress'], ['Ingress', 'Egress']),
      ingress: fc.array(some({ from: fc.array(peer, { minLength: 1, maxLength: 2 }), ports: policyPorts }), {
        maxLength: 2,
      }),
    },
  ),
)
