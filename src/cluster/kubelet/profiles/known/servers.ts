// Public images of servers that keep no data of their own.

import { type BuiltInProfile, server } from './forms.ts'

const accessLine = '10.244.0.1 - - "GET / HTTP/1.1" 200 615 "-" "kube-probe/1.34"'

export const knownServers: readonly BuiltInProfile[] = [
  server('nginx', ['nginx', 'nginxinc/nginx-unprivileged', 'nginxdemos/hello', 'bitnami/nginx'], {
    cpu: 1,
    memory: 9,
    endsAfter: 0.1,
    says: [
      '/docker-entrypoint.sh: Configuration complete; ready for start up',
      '[notice] 1#1: using the "epoll" event method',
      '[notice] 1#1: start worker processes',
    ],
    repeats: accessLine,
  }),
  server('httpd', ['httpd', 'gcr.io/google_samples/gb-frontend', 'us-docker.pkg.dev/google-samples/*/gb-frontend'], {
    cpu: 2,
    memory: 12,
    endsAfter: 0.2,
    says: ['[mpm_event:notice] [pid 1] AH00489: Apache/2.4 (Unix) configured -- resuming normal operations'],
    repeats: accessLine,
  }),
  server(
    'http-echo',
    [
      'hashicorp/http-echo',
      'ealen/echo-server',
      'traefik/whoami',
      'ghcr.io/stefanprodan/podinfo',
      'stefanprodan/podinfo',
    ],
    {
      cpu: 1,
      memory: 14,
      endsAfter: 0.2,
      says: [],
    },
  ),
  server('proxy', ['traefik', 'haproxy', 'envoyproxy/envoy', 'caddy'], {
    cpu: 3,
    memory: 30,
    endsAfter: 0.5,
    says: [],
  }),
  server('grafana', ['grafana/grafana', 'grafana/grafana-enterprise'], {
    cpu: 5,
    memory: 70,
    endsAfter: 0.5,
    says: ['logger=http.server level=info msg="HTTP Server Listen" address=[::]:3000 protocol=http subUrl= socket='],
  }),
  server('prometheus', ['prom/prometheus', 'quay.io/prometheus/prometheus'], {
    cpu: 8,
    memory: 70,
    endsAfter: 0.5,
    says: [
      'level=INFO msg="Start listening for connections" component=web address=0.0.0.0:9090',
      'level=INFO msg="Server is ready to receive web requests."',
    ],
  }),
  server(
    'exporter',
    ['prom/*exporter', 'quay.io/prometheus/*exporter', 'prom/pushgateway', 'quay.io/prometheuscommunity/*'],
    {
      cpu: 1,
      memory: 14,
      endsAfter: 0.2,
      says: ['level=info msg="Listening on" address=[::]:9100'],
    },
  ),
  server('alertmanager', ['prom/alertmanager', 'quay.io/prometheus/alertmanager'], {
    cpu: 2,
    memory: 20,
    endsAfter: 0.3,
    says: ['level=INFO msg="Listening on" component=web address=[::]:9093'],
  }),
  server('vault', ['hashicorp/vault', 'vault', 'openbao/openbao'], {
    cpu: 3,
    memory: 50,
    endsAfter: 0.3,
    says: ['==> Vault server started! Log data will stream in below:'],
  }),
  server('consul', ['hashicorp/consul', 'consul'], {
    cpu: 5,
    memory: 40,
    endsAfter: 0.5,
    says: ['[INFO]  agent: Consul agent running!'],
  }),
  server('keycloak', ['quay.io/keycloak/keycloak'], {
    cpu: 8,
    memory: 300,
    endsAfter: 1,
    says: ['INFO  [io.quarkus] (main) Keycloak on JVM started. Listening on: http://0.0.0.0:8080'],
  }),
  server('jenkins', ['jenkins/jenkins'], {
    cpu: 5,
    memory: 250,
    endsAfter: 2,
    says: ['INFO\thudson.lifecycle.Lifecycle#onReady: Jenkins is fully up and running'],
  }),
  server(
    'php-apache',
    ['wordpress', 'drupal', 'joomla', 'nextcloud', 'phpmyadmin', 'php:*apache*', 'registry.k8s.io/hpa-example'],
    {
      cpu: 1,
      memory: 40,
      endsAfter: 0.3,
      says: [
        '[mpm_prefork:notice] [pid 1] AH00163: Apache/2.4 (Debian) PHP/8 configured -- resuming normal operations',
      ],
      repeats: accessLine,
    },
  ),
  server('ingress-nginx', ['registry.k8s.io/ingress-nginx/controller'], {
    cpu: 3,
    memory: 70,
    endsAfter: 10,
    says: ['NGINX Ingress controller', '"Starting NGINX Ingress controller"'],
  }),
  server('argocd', ['quay.io/argoproj/argocd'], { cpu: 4, memory: 60, endsAfter: 0.5, says: [] }),
  server('cert-manager', ['quay.io/jetstack/cert-manager-*'], { cpu: 1, memory: 25, endsAfter: 0.3, says: [] }),
  server(
    'cluster-metrics',
    ['registry.k8s.io/metrics-server/metrics-server', 'registry.k8s.io/kube-state-metrics/kube-state-metrics'],
    {
      cpu: 3,
      memory: 20,
      endsAfter: 0.3,
      says: [],
    },
  ),
  server('coredns', ['coredns/coredns', 'registry.k8s.io/coredns/coredns'], {
    cpu: 2,
    memory: 14,
    endsAfter: 5,
    says: ['.:53'],
  }),
]
