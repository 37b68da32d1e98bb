import { redirect } from 'next/navigation'
import { jobsPath } from '#features/project/addresses.ts'

interface PageProps {
  params: Promise<{ organization: string; project: string }>
}

export default async function ProjectPage({ params }: PageProps) {
  redirect(jobsPath(await params))
}
