/** What a person likes, as a browser keeps it. */

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const densities = ['comfortable', 'compact'] as const;
export type Density = (typeof densities)[number];

export interface Preferences {
  theme: Theme;
  density: Density;
  hasShortcuts: boolean;
}

/** What holds until somebody chooses. */
export const defaultPreferences: Preferences = {
  theme: 'system',
  density: 'comfortable',
  hasShortcuts: true,
};

/** The place of the preferences of the jobd at a path: several may share a host, and browsers keep things by host. */
export function preferencesKey(rootPath: string): string {
  return `jobd ${rootPath} preferences`;
}

/** Reads kept preferences. What is missing or makes no sense, as from another version, is the default. */
export function parsePreferences(text: string | null): Preferences {
  const kept = parseObject(text ?? '{}');
  const { theme, density, hasShortcuts } = defaultPreferences;
  return {
    theme: themes.find((one) => one === kept['theme']) ?? theme,
    density: densities.find((one) => one === kept['density']) ?? density,
    hasShortcuts: typeof kept['hasShortcuts'] === 'boolean' ? kept['hasShortcuts'] : hasShortcuts,
  };
}

function parseObject(text: string): Record<string, unknown> {
  try {
    return { ...(JSON.parse(text) as object | null) };
  } catch {
    return {};
  }
}
