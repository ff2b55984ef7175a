// Public images of what keeps data: databases, caches, queues, object stores.

import { type BuiltInProfile, server, wantsVariable } from './forms.ts'

/** What images of Bitnami say of a password that nobody has given. */
const emptyPassword = (name: string, variable: string): string =>
  `${name} ERROR ==> The ${variable} environment variable is empty or not set. Set the environment variable ` +
  'ALLOW_EMPTY_PASSWORD=yes to allow the container to be started with blank passwords. This is recommended only for development.\n'

export const knownDatabases: readonly BuiltInProfile[] = [
  wantsVariable('postgres', ['postgres', 'timescale/timescaledb', 'postgis/postgis', 'pgvector/pgvector'], {
    withoutEnv: ['POSTGRES_PASSWORD', 'POSTGRES_PASSWORD_FILE', 'POSTGRES_HOST_AUTH_METHOD'],
    server: 'postgres',
    says: 'Error: Database is uninitialized and superuser password is not specified.\n       You must specify POSTGRES_PASSWORD to a non-empty value for the\n       superuser. For example, "-e POSTGRES_PASSWORD=password" on "docker run".\n',
  }),
  wantsVariable('mysql', ['mysql', 'mysql/mysql-server'], {
    withoutEnv: [
      ...['MYSQL_ROOT_PASSWORD', 'MYSQL_ROOT_PASSWORD_FILE'],
      ...['MYSQL_ALLOW_EMPTY_PASSWORD', 'MYSQL_RANDOM_ROOT_PASSWORD'],
    ],
    server: 'mysqld',
    says: '[ERROR] [Entrypoint]: Database is uninitialized and password option is not specified\n    You need to specify one of the following as an environment variable:\n    - MYSQL_ROOT_PASSWORD\n    - MYSQL_ALLOW_EMPTY_PASSWORD\n    - MYSQL_RANDOM_ROOT_PASSWORD\n',
  }),
  wantsVariable('mariadb', ['mariadb'], {
    withoutEnv: [
      ...['', '_FILE', '_HASH'].flatMap((end) => [`MARIADB_ROOT_PASSWORD${end}`, `MYSQL_ROOT_PASSWORD${end}`]),
      'MARIADB_ALLOW_EMPTY_ROOT_PASSWORD',
      'MARIADB_RANDOM_ROOT_PASSWORD',
      'MYSQL_ALLOW_EMPTY_PASSWORD',
      'MYSQL_RANDOM_ROOT_PASSWORD',
    ],
    server: 'mariadbd',
    says: '[ERROR] [Entrypoint]: Database is uninitialized and password option is not specified\n\tYou need to specify one of MARIADB_ROOT_PASSWORD, MARIADB_ROOT_PASSWORD_HASH, MARIADB_ALLOW_EMPTY_ROOT_PASSWORD and MARIADB_RANDOM_ROOT_PASSWORD\n',
  }),
  wantsVariable('bitnami-postgresql', ['bitnami/postgresql', 'bitnamilegacy/postgresql'], {
    withoutEnv: [
      ...['POSTGRESQL_PASSWORD', 'POSTGRES_PASSWORD'].flatMap((name) => [name, `${name}_FILE`]),
      'ALLOW_EMPTY_PASSWORD',
    ],
    server: '/opt/bitnami/scripts/postgresql/run.sh',
    says: emptyPassword('postgresql', 'POSTGRESQL_PASSWORD'),
  }),
  wantsVariable('bitnami-mysql', ['bitnami/mysql', 'bitnamilegacy/mysql'], {
    withoutEnv: ['MYSQL_ROOT_PASSWORD', 'MYSQL_ROOT_PASSWORD_FILE', 'ALLOW_EMPTY_PASSWORD'],
    server: '/opt/bitnami/scripts/mysql/run.sh',
    says: emptyPassword('mysql', 'MYSQL_ROOT_PASSWORD'),
  }),
  wantsVariable('bitnami-mariadb', ['bitnami/mariadb', 'bitnamilegacy/mariadb'], {
    withoutEnv: ['MARIADB_ROOT_PASSWORD', 'MARIADB_ROOT_PASSWORD_FILE', 'ALLOW_EMPTY_PASSWORD'],
    server: '/opt/bitnami/scripts/mariadb/run.sh',
    says: emptyPassword('mariadb', 'MARIADB_ROOT_PASSWORD'),
  }),
  wantsVariable('bitnami-redis', ['bitnami/redis', 'bitnamilegacy/redis', 'bitnami/valkey'], {
    withoutEnv: ['REDIS', 'VALKEY']
      .flatMap((name) => [`${name}_PASSWORD`, `${name}_PASSWORD_FILE`])
      .concat('ALLOW_EMPTY_PASSWORD'),
    server: '/opt/bitnami/scripts/redis/run.sh',
    says: emptyPassword('redis', 'REDIS_PASSWORD'),
  }),
  wantsVariable('mssql', ['mcr.microsoft.com/mssql/server'], {
    withoutEnv: ['ACCEPT_EULA'],
    server: '/opt/mssql/bin/sqlservr',
    says: 'The SQL Server End-User License Agreement (EULA) must be accepted before SQL\nServer can start.\n',
  }),
  server('redis', ['redis', 'valkey/valkey', 'bitnami/redis', 'redis/redis-stack*'], {
    cpu: 2,
    memory: 8,
    endsAfter: 0.1,
    says: ['1:M * Running mode=standalone, port=6379.', '1:M * Ready to accept connections tcp'],
  }),
  server('memcached', ['memcached'], { cpu: 1, memory: 4, endsAfter: 0.1, says: [] }),
  server(
    'postgres',
    ['postgres', 'timescale/timescaledb', 'postgis/postgis', 'pgvector/pgvector', 'bitnami/postgresql'],
    {
      cpu: 5,
      memory: 40,
      endsAfter: 0.4,
      says: [
        'LOG:  starting PostgreSQL on x86_64-pc-linux-gnu, 64-bit',
        'LOG:  listening on IPv4 address "0.0.0.0", port 5432',
        'LOG:  database system is ready to accept connections',
      ],
    },
  ),
  server('mysql', ['mysql', 'mysql/mysql-server', 'mariadb', 'bitnami/mysql', 'bitnami/mariadb'], {
    cpu: 8,
    memory: 360,
    endsAfter: 1.5,
    says: [
      '[System] [MY-010931] [Server] /usr/sbin/mysqld: ready for connections. socket: /var/run/mysqld/mysqld.sock  port: 3306',
    ],
  }),
  server('mongo', ['mongo'], {
    cpu: 6,
    memory: 120,
    endsAfter: 1,
    says: ['{"msg":"Waiting for connections","attr":{"port":27017}}'],
  }),
  server('rabbitmq', ['rabbitmq'], {
    cpu: 10,
    memory: 140,
    endsAfter: 3,
    says: ['Server startup complete; 4 plugins started.'],
  }),
  server(
    'elasticsearch',
    ['docker.elastic.co/elasticsearch/elasticsearch', 'elasticsearch', 'opensearchproject/opensearch'],
    {
      cpu: 20,
      memory: 420,
      endsAfter: 3,
      says: ['{"log.level": "INFO", "message":"initialized"}', '{"log.level": "INFO", "message":"started"}'],
    },
  ),
  server('cassandra', ['cassandra', 'gcr.io/google-samples/cassandra'], {
    cpu: 30,
    memory: 350,
    endsAfter: 4,
    says: ['INFO  [main] CassandraDaemon.java - Startup complete'],
  }),
  server('kafka', ['apache/kafka', 'confluentinc/cp-kafka', 'bitnami/kafka'], {
    cpu: 15,
    memory: 300,
    endsAfter: 3,
    says: ['INFO [KafkaRaftServer nodeId=1] Kafka Server started (kafka.server.KafkaRaftServer)'],
  }),
  server(
    'zookeeper',
    ['zookeeper', 'confluentinc/cp-zookeeper', 'bitnami/zookeeper', 'registry.k8s.io/kubernetes-zookeeper'],
    {
      cpu: 4,
      memory: 80,
      endsAfter: 0.5,
      says: ['INFO  [main:o.a.z.s.NIOServerCnxnFactory@660] - binding to port 0.0.0.0/0.0.0.0:2181'],
    },
  ),
  server('etcd', ['quay.io/coreos/etcd', 'registry.k8s.io/etcd', 'gcr.io/etcd-development/etcd', 'bitnami/etcd'], {
    cpu: 10,
    memory: 40,
    endsAfter: 0.5,
    says: [
      '{"level":"info","msg":"ready to serve client requests"}',
      '{"level":"info","msg":"serving client traffic insecurely"}',
    ],
  }),
  server('minio', ['minio/minio', 'quay.io/minio/minio', 'bitnami/minio'], {
    cpu: 3,
    memory: 90,
    endsAfter: 0.3,
    says: ['MinIO Object Storage Server', 'API: http://127.0.0.1:9000', 'WebUI: http://127.0.0.1:9001'],
  }),
  server('influxdb', ['influxdb'], {
    cpu: 4,
    memory: 60,
    endsAfter: 0.5,
    says: ['lvl=info msg=Listening service=tcp-listener transport=http addr=:8086 port=8086'],
  }),
  server('nats', ['nats'], {
    cpu: 1,
    memory: 12,
    endsAfter: 0.2,
    says: ['[1] [INF] Listening for client connections on 0.0.0.0:4222', '[1] [INF] Server is ready'],
  }),
  server('registry', ['registry', 'ghcr.io/distribution/distribution'], {
    cpu: 1,
    memory: 14,
    endsAfter: 0.2,
    says: ['level=info msg="listening on [::]:5000"'],
  }),
]
