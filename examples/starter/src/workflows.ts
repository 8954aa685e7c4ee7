import { type NotifyTarget, type ProjectRef } from '@segue/segue';
import { notifyOnce, ProjectWrites, runMedia, writeResult } from '@segue/segue/workflows';

export interface Product {
  sku: string;
  imageUrl: string;
  project: ProjectRef;
  notify: NotifyTarget;
}

/** Cuts a product out, keeps the task in a project, and notifies the person who asked for it. */
export async function product({ sku, imageUrl, project, notify }: Product): Promise<string> {
  const writes = new ProjectWrites();
  const request = { image_url: imageUrl };
  const { taskId } = await runMedia({ key: `product-${sku}`, tool: 'remove-background', request });
  await writeResult(writes, {
    project,
    change: { steps: [{ at: `/products/${sku}`, set: { cutout: taskId } }] },
  });
  await notifyOnce(notify, {
    event: 'ready',
    category: 'agentTaskCompleted',
    title: 'Your product is cut out',
    message: `${sku} has no background any more.`,
  });
  return taskId;
}
