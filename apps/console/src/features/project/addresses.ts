interface Place {
  organization: string
  project: string
}

/** Where things are in the console, so that no address is put together twice. */
export const jobsPath = ({ organization, project }: Place) => `/${organization}/${project}/jobs`
export const newJobPath = ({ organization, project }: Place) => `/${organization}/${project}/new-job`
export const jobPath = (place: Place, name: string) => `${jobsPath(place)}/${encodeURIComponent(name)}`
export const editJobPath = (place: Place, name: string) => `${jobPath(place, name)}/edit`
export const runsPath = ({ organization, project }: Place) => `/${organization}/${project}/runs`
export const runPath = (place: Place, id: string) => `${runsPath(place)}/${encodeURIComponent(id)}`
export const apiKeysPath = ({ organization, project }: Place) => `/${organization}/${project}/api-keys`
export const signingSecretsPath = ({ organization, project }: Place) =>
  `/${organization}/${project}/signing-secrets`
export const settingsPath = ({ organization, project }: Place) => `/${organization}/${project}/settings`
export const membersPath = ({ organization, project }: Place) => `/${organization}/${project}/members`
export const auditPath = ({ organization, project }: Place) => `/${organization}/${project}/audit`
