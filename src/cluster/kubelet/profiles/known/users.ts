// As which user public images run when their manifest names none: what runAsNonRoot is held against. A name cannot be
// checked by a kubelet, and an empty text is root.

import type { BuiltInProfile } from './forms.ts'

const library = [
  ...['nginx', 'httpd', 'redis', 'postgres', 'mysql', 'mariadb', 'mongo', 'rabbitmq', 'cassandra', 'zookeeper'],
  ...['influxdb', 'registry', 'traefik', 'caddy', 'wordpress', 'drupal', 'joomla', 'nextcloud', 'ghost', 'phpmyadmin'],
  ...[
    'busybox',
    'alpine',
    'bash',
    'ubuntu',
    'debian',
    'python',
    'node',
    'golang',
    'ruby',
    'perl',
    'php',
    'rust',
    'gcc',
  ],
  ...['openjdk', 'eclipse-temurin', 'amazoncorretto', 'maven', 'hello-world'],
]

const images: readonly (readonly [user: string, images: readonly string[]])[] = [
  ['', [...library, 'valkey/valkey', 'minio/minio', 'hashicorp/vault', 'hashicorp/consul', 'nginxdemos/hello']],
  ['', ['registry.k8s.io/busybox', 'registry.k8s.io/hpa-example', 'traefik/whoami', 'mysql/mysql-server']],
  ['65535:65535', ['registry.k8s.io/pause']],
  ['65532', ['gcr.io/distroless/*:*nonroot*']],
  ['101', ['nginxinc/nginx-unprivileged']],
  ['1001', ['bitnami/*', 'bitnamilegacy/*']],
  ['472', ['grafana/grafana']],
  ['1000:0', ['docker.elastic.co/elasticsearch/elasticsearch:[89]*', 'elasticsearch:[89]*']],
  ['999', ['quay.io/argoproj/argocd']],
  ['1000', ['quay.io/keycloak/keycloak', 'quay.io/jetstack/cert-manager-*']],
  ['65534', ['registry.k8s.io/metrics-server/metrics-server', 'registry.k8s.io/kube-state-metrics/kube-state-metrics']],
  ['nobody', ['prom/prometheus', 'prom/alertmanager', 'prom/node-exporter', 'prom/pushgateway']],
  ['nobody', ['quay.io/prometheus/prometheus', 'quay.io/prometheus/alertmanager', 'quay.io/prometheus/node-exporter']],
  ['www-data', ['registry.k8s.io/ingress-nginx/controller']],
  ['app', ['stefanprodan/podinfo', 'ghcr.io/stefanprodan/podinfo']],
  ['curl_user', ['curlimages/curl']],
  ['memcache', ['memcached']],
  ['haproxy', ['haproxy']],
  ['jenkins', ['jenkins/jenkins']],
  ['appuser', ['apache/kafka', 'confluentinc/cp-*']],
  ['adminer', ['adminer']],
]

export const knownUsers: readonly BuiltInProfile[] = images.map(([user, names]) => ({
  name: `user of ${names[0]}`,
  match: { images: names },
  image: { user },
}))
