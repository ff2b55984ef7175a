// Texts of fields that refer to a type and that neither client knows a text of: newer than kubernetes-types, and left out by
// @kubernetes/client-node. In words of our own, for `kubectl explain` and OpenAPI.

const resource = 'io.k8s.api.resource.v1'
const core = 'io.k8s.api.core.v1'
const networking = 'io.k8s.api.networking.v1'
const authorization = 'io.k8s.api.authorization.v1'
const apiregistration = 'io.k8s.kube-aggregator.pkg.apis.apiregistration.v1'

const amountOfCapacity =
  'How much of each capacity of a device is asked for. Where nothing is said and the device can be shared, the default of its request policy counts, else its whole capacity. Devices that do not have what is asked for are not considered.'

const opaqueParameters = 'Parameters for one driver, which alone understands them.'

/** By type, then by field. */
export const fieldTexts = {
  [`${authorization}.ResourceAttributes`]: {
    fieldSelector:
      'Narrows the question to objects that a field selector chooses. It can only take away from what is allowed, never add to it.',
    labelSelector:
      'Narrows the question to objects that a label selector chooses. It can only take away from what is allowed, never add to it.',
  },
  [`${core}.ContainerRestartRule`]: {
    exitCodes: 'The exit codes of the container that this rule is about.',
  },
  [`${core}.ContainerStatus`]: {
    user: 'As whom the first process of the container was started.',
  },
  [`${core}.ContainerUser`]: {
    linux:
      'As whom the first process of a Linux container was started. A process that has the privileges to do so can have become somebody else since.',
  },
  [`${core}.EnvVarSource`]: {
    fileKeyRef: 'Takes the value from a key of an env file in a volume. Needs the feature gate EnvFiles.',
  },
  [`${core}.NodeStatus`]: {
    features: 'What the container runtime of this node is able to do.',
  },
  [`${core}.NodeSystemInfo`]: {
    swap: 'The swap space of this node.',
  },
  [`${core}.PodSpec`]: {
    resources:
      'CPU, memory and huge pages of all containers of the pod together, as requests and limits; resource claims cannot be named here. Containers share what is left between their own amounts and these. Needs the feature gate PodLevelResources.',
  },
  [`${core}.PodStatus`]: {
    extendedResourceClaimStatus:
      'The claim that was made for extended resources of the pod that devices (DRA) provide.',
  },
  [`${core}.Volume`]: {
    image:
      'An OCI image or artifact, mounted read-only as the kubelet pulls it by its pullPolicy when the pod starts: Always fails the pod where it cannot be pulled, Never where it is not on the node, IfNotPresent where it is neither there nor can be pulled. The pod is given what the reference stands for then; subPath works, fsGroupChangePolicy does not.',
  },
  [`${core}.VolumeProjection`]: {
    podCertificate:
      'Projects a private key and a certificate chain that are renewed by themselves, for TLS as a client or a server. The kubelet makes the key, asks the named signer by a PodCertificateRequest, and writes both into the volume once the certificate is issued; the pod waits for that. Key and chain come in one file (credentialBundlePath) or in two (keyPath, certificateChainPath): one file can be read at one moment, two can be read while they are renewed.',
  },
  [`${networking}.IPAddress`]: {
    spec: 'What the IPAddress shall be.',
  },
  [`${networking}.IPAddressSpec`]: {
    parentRef: 'The object that the address belongs to. Required.',
  },
  [`${networking}.ServiceCIDR`]: {
    spec: 'What the ServiceCIDR shall be.',
    status: 'What has become of the ServiceCIDR.',
  },
  [`${resource}.AllocatedDeviceStatus`]: {
    networkData: 'What the driver tells of the device as a network interface.',
  },
  [`${resource}.AllocationResult`]: {
    devices: 'The devices that were allocated.',
    nodeSelector: 'The nodes on which the allocated devices can be used; unset: on all nodes.',
  },
  [`${resource}.CapacityRequestPolicy`]: {
    validRange:
      'The amounts that a request may take, as a range. Needs a default, which must be within the range. Not together with validValues; a request that is outside of it cannot be allocated from this device.',
  },
  [`${resource}.Device`]: {
    nodeSelector:
      'The nodes on which the device can be used, by exactly one term. Only where the spec of the slice sets perDeviceNodeSelection, and then one of nodeName, nodeSelector and allNodes is required.',
  },
  [`${resource}.DeviceCapacity`]: {
    requestPolicy:
      'How much of this capacity a request takes from a device that can be shared (allowMultipleAllocations). Unset: requests may take any amount, and one that names none takes the whole.',
  },
  [`${resource}.DeviceAllocationConfiguration`]: { opaque: opaqueParameters },
  [`${resource}.DeviceClaimConfiguration`]: { opaque: opaqueParameters },
  [`${resource}.DeviceClass`]: {
    spec: 'What can be allocated by this class, and how it is set up. It may be changed at any time, and counts for claims that are allocated later.',
  },
  [`${resource}.DeviceClassConfiguration`]: { opaque: opaqueParameters },
  [`${resource}.DeviceRequest`]: {
    exactly:
      'One kind of device that must be had for the request to be met. Either this or firstAvailable is required.',
  },
  [`${resource}.DeviceSelector`]: {
    cel: 'A CEL expression that says which devices are chosen.',
  },
  [`${resource}.DeviceSubRequest`]: { capacity: amountOfCapacity },
  [`${resource}.ExactDeviceRequest`]: { capacity: amountOfCapacity },
  [`${resource}.ResourceClaim`]: {
    spec: 'What is asked for, and how it is set up. It cannot be changed.',
    status: 'Whether the claim can be used, and what was allocated for it.',
  },
  [`${resource}.ResourceClaimSpec`]: {
    devices: 'Which devices are asked for.',
  },
  [`${resource}.ResourceClaimStatus`]: {
    allocation: 'What was allocated; set as soon as the claim was.',
  },
  [`${resource}.ResourceClaimTemplate`]: {
    spec: 'The ResourceClaim that is made for each pod that names this template. It cannot be changed; the claim is deleted with its pod.',
  },
  [`${resource}.ResourceClaimTemplateSpec`]: {
    spec: 'The spec of the ResourceClaim, which it gets as it is here.',
  },
  [`${resource}.ResourceSlice`]: {
    spec: 'What the driver tells of its devices. Each change of it raises metadata.generation.',
  },
  [`${resource}.ResourceSliceSpec`]: {
    nodeSelector:
      'The nodes that reach the devices of the pool, by exactly one term, where it is not one node alone. One of nodeName, nodeSelector, allNodes and perDeviceNodeSelection is required.',
    pool: 'The pool that this slice is a part of.',
  },
  [`${apiregistration}.APIService`]: {
    spec: 'Where the server of this group and version is, and how it is reached.',
    status: 'What was found out about that server.',
  },
  [`${apiregistration}.APIServiceSpec`]: {
    service:
      'The Service of the server, reached on port 443 unless it names another. Unset: this very server answers for the group and version.',
  },
}
