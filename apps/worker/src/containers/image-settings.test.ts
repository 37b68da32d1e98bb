import { type Environment, EnvironmentReader } from '@workly/services'
import { expect, test } from 'vitest'
import { readImageSettings } from './image-settings.ts'

function settingsOf(env: Environment) {
  const read = new EnvironmentReader(env)
  const settings = readImageSettings(read)
  read.check()
  return settings
}

test('without a word about it no executor is set up, and what belongs to one is not read', () => {
  expect(settingsOf({})).toEqual({ executor: 'none' })
  expect(settingsOf({ WORKLY_IMAGE_EXECUTOR: 'none', WORKLY_IMAGE_CPUS: 'x' })).toEqual({ executor: 'none' })
})

test("Docker's engine is that of the machine, unless another is named", () => {
  expect(settingsOf({ WORKLY_IMAGE_EXECUTOR: 'docker' })).toEqual({
    executor: 'docker',
    registry: '',
    limits: { cpus: 1, memoryBytes: 1024 ** 3 },
    installation: null,
    engine: { socketPath: '/var/run/docker.sock' },
    registryAuth: null,
    configDir: null,
    network: 'bridge',
  })
  expect(
    settingsOf({
      WORKLY_IMAGE_EXECUTOR: 'docker',
      WORKLY_IMAGE_REGISTRY: 'registry.example.com:5000/team',
      WORKLY_IMAGE_REGISTRY_USER: 'pull',
      WORKLY_IMAGE_REGISTRY_PASSWORD: 'secret',
      WORKLY_IMAGE_CPUS: '0.5',
      WORKLY_IMAGE_MEMORY: '256Mi',
      WORKLY_INSTALLATION: 'blue',
      WORKLY_DOCKER_HOST: 'https://[2001:db8::1]:2376',
      WORKLY_DOCKER_CERT_DIR: '/etc/workly/docker',
      WORKLY_DOCKER_CONFIG_DIR: '/etc/workly/config',
      WORKLY_DOCKER_NETWORK: 'jobs',
    }),
  ).toEqual({
    executor: 'docker',
    registry: 'registry.example.com:5000/team',
    limits: { cpus: 0.5, memoryBytes: 256 * 1024 ** 2 },
    installation: 'blue',
    engine: { protocol: 'https', host: '2001:db8::1', port: 2376, certDir: '/etc/workly/docker' },
    registryAuth: { username: 'pull', password: 'secret' },
    configDir: '/etc/workly/config',
    network: 'jobs',
  })
})

test('Kubernetes is that of the pod, unless a file says where another is', () => {
  expect(settingsOf({ WORKLY_IMAGE_EXECUTOR: 'kubernetes' })).toMatchObject({
    executor: 'kubernetes',
    kubeConfig: 'in-cluster',
    data: { accessMode: 'ReadWriteOnce' },
    pullSecrets: [],
    dnsBlocks: [],
    callbackPods: [],
  })
  expect(
    settingsOf({
      WORKLY_IMAGE_EXECUTOR: 'kubernetes',
      KUBECONFIG: '/home/workly/.kube/config',
      WORKLY_KUBERNETES_DATA_SIZE: '50Gi',
      WORKLY_KUBERNETES_DATA_STORAGE_CLASS: 'shared',
      WORKLY_KUBERNETES_DATA_ACCESS_MODE: 'ReadWriteMany',
      WORKLY_KUBERNETES_PULL_SECRETS: 'one, two',
      WORKLY_KUBERNETES_DNS_BLOCKS: '169.254.20.10/32',
      WORKLY_KUBERNETES_CALLBACK_PODS: 'workly:app=api,tier=web ingress:app=nginx',
    }),
  ).toMatchObject({
    kubeConfig: { file: '/home/workly/.kube/config' },
    data: { size: '50Gi', storageClass: 'shared', accessMode: 'ReadWriteMany' },
    pullSecrets: ['one', 'two'],
    dnsBlocks: [{ text: '169.254.20.10/32' }],
    callbackPods: [
      {
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'workly' } },
        podSelector: { matchLabels: { app: 'api', tier: 'web' } },
      },
      {
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ingress' } },
        podSelector: { matchLabels: { app: 'nginx' } },
      },
    ],
  })
})

const DOCKER = { WORKLY_IMAGE_EXECUTOR: 'docker' }
const KUBERNETES = { WORKLY_IMAGE_EXECUTOR: 'kubernetes' }

test.each([
  [
    { WORKLY_IMAGE_EXECUTOR: 'podman' },
    /WORKLY_IMAGE_EXECUTOR is "podman"; none, docker, kubernetes are allowed/,
  ],
  [{ ...DOCKER, WORKLY_IMAGE_REGISTRY: 'https://r.example' }, /WORKLY_IMAGE_REGISTRY: .*without https/],
  [{ ...DOCKER, WORKLY_IMAGE_CPUS: '0' }, /WORKLY_IMAGE_CPUS: "0" is no number of cores; 0.01 or more/],
  [{ ...DOCKER, WORKLY_IMAGE_MEMORY: '1GB' }, /WORKLY_IMAGE_MEMORY: "1GB" .* such as 512Mi/],
  [{ ...DOCKER, WORKLY_IMAGE_MEMORY: '5Mi' }, /WORKLY_IMAGE_MEMORY: "5Mi" .*6Mi or more/],
  [{ ...DOCKER, WORKLY_INSTALLATION: 'Blue' }, /WORKLY_INSTALLATION: "Blue" .*lower-case/],
  [{ ...DOCKER, WORKLY_DOCKER_HOST: '10.0.0.1' }, /WORKLY_DOCKER_HOST: "10.0.0.1" .*http:\/\/host:2375/],
  [{ ...DOCKER, WORKLY_DOCKER_HOST: 'http://a:1', WORKLY_DOCKER_SOCKET: '/s' }, /are both set/],
  [{ ...DOCKER, WORKLY_DOCKER_HOST: 'http://a:1', WORKLY_DOCKER_CERT_DIR: '/c' }, /begins with https/],
  [{ ...DOCKER, WORKLY_IMAGE_REGISTRY_USER: 'pull' }, /only of use together/],
  [{ ...KUBERNETES, KUBECONFIG: '/a:/b' }, /KUBECONFIG names several files; one is allowed/],
  [{ ...KUBERNETES, WORKLY_KUBERNETES_DATA_SIZE: '10' }, /WORKLY_KUBERNETES_DATA_SIZE: "10" .*10Gi/],
  [{ ...KUBERNETES, WORKLY_KUBERNETES_DATA_ACCESS_MODE: 'RWO' }, /ReadWriteOnce, ReadWriteMany are allowed/],
  [{ ...KUBERNETES, WORKLY_KUBERNETES_PULL_SECRETS: 'a b' }, /"a b" is no name of a secret/],
  [{ ...KUBERNETES, WORKLY_KUBERNETES_DNS_BLOCKS: 'dns' }, /WORKLY_KUBERNETES_DNS_BLOCKS/],
  [
    { ...KUBERNETES, WORKLY_KUBERNETES_CALLBACK_PODS: 'app=api' },
    /"app=api" names no pods; .*workly:app=workly-api/,
  ],
])('%o is refused with what is allowed', (env, problem) => {
  expect(() => settingsOf(env)).toThrow(problem)
})
