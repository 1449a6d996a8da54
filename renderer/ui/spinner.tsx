import { LoaderCircle } from 'lucide-react';

/** Decorative: the words beside it say what is awaited. Mount it only while that state holds. */
export function Spinner({ size = 14 }: { readonly size?: number }) {
  return <LoaderCircle size={size} aria-hidden className="shrink-0 animate-spin" />;
}
