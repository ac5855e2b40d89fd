// Data of the site, fetched when it is first wanted and kept.
import { useEffect, useState } from "preact/hooks";

const kept = new Map<string, Promise<unknown>>();

/** The file as JSON; rejects when it cannot be had, and asks again the next time. */
export function fetchData<T>(file: string): Promise<T> {
  let data = kept.get(file);
  if (!data) {
    data = fetch(file).then((response) => {
      if (!response.ok) throw new Error(`${file}: ${response.status}`);
      return response.json();
    });
    data.catch(() => kept.delete(file));
    kept.set(file, data);
  }
  return data as Promise<T>;
}

/** The same for a component: null until it is there. */
export function useData<T>(file: string): T | null {
  const [data, setData] = useState<T | null>(null);
  useEffect(() => {
    let wanted = true;
    setData(null);
    fetchData<T>(file).then(
      (found) => wanted && setData(found as never),
      () => undefined,
    );
    return () => void (wanted = false);
  }, [file]);
  return data;
}
