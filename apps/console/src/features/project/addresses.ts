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
