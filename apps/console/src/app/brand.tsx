/** Logo, light or dark, language: the same on every page. */
import { ActionIcon, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { chooseLanguage, currentLanguage, LANGUAGES, t, type Language } from '../text/text.ts';

export function Brand() {
  return (
    <a className="brand" href="/console">
      <img src="/console/icon.svg" alt="" width={24} height={24} />
      <span>
        Model Gateway <small>{t('Console')}</small>
      </span>
    </a>
  );
}

export function Icon({ path, size = 18 }: { path: string; size?: number }) {
  return (
    <svg viewBox="0 0 20 20" width={size} height={size} aria-hidden="true" fill="none" stroke="currentColor">
      <path d={path} strokeWidth="1.6" strokeLinecap="round" strokeLinejoin="round" />
    </svg>
  );
}

export function ThemeButton() {
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme('light');
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="lg"
      aria-label={t('Switch between light and dark')}
      onClick={() => setColorScheme(scheme === 'dark' ? 'light' : 'dark')}
    >
      <svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
        <path d="M10 2a8 8 0 1 0 8 8 6.200 6.200 0 0 1-8-8Z" fill="currentColor" />
      </svg>
    </ActionIcon>
  );
}

/** Changes to the other language, which it is named by. */
export function LanguageButton() {
  const other: Language = currentLanguage() === 'zh' ? 'en' : 'zh';
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="lg"
      aria-label={LANGUAGES[other]}
      title={LANGUAGES[other]}
      lang={other}
      onClick={() => void chooseLanguage(other)}
    >
      <Icon
        size={20}
        path="M3 5h8M7 3v2M9.500 5c-.8 3-3 5.500-6 7M4.500 7c1 2.500 3 4.200 5 5M10 17l3.500-9 3.500 9M11.200 14h4.600"
      />
    </ActionIcon>
  );
}
