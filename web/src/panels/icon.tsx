// One icon of the sprite in index.html. Icons never stand alone: a word or a name is beside them.
export const Icon = ({ name, className = "icon" }: { name: string; className?: string }) => (
  <svg class={className} aria-hidden="true">
    <use href={`#i-${name}`} />
  </svg>
);
