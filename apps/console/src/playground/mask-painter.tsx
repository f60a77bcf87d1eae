/** Painting a mask over a picture: what is painted becomes transparent in the mask, which is where the picture may change. */
import { useEffect, useImperativeHandle, useRef, type PointerEvent, type Ref } from 'react';
import { t } from '../text/text.ts';

export interface MaskHandle {
  /** A png of the picture's size, or nothing where nothing is painted. */
  read(): Promise<Blob | undefined>;
  clear(): void;
}

export function MaskPainter({ url, brush, ref }: { url: string; brush: number; ref: Ref<MaskHandle> }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const picture = useRef<HTMLImageElement>(null);
  const isPainted = useRef(false);
  const last = useRef<{ x: number; y: number } | undefined>(undefined);

  useImperativeHandle(ref, () => ({
    clear() {
      const at = canvas.current;
      at?.getContext('2d')?.clearRect(0, 0, at.width, at.height);
      isPainted.current = false;
    },
    async read() {
      const painted = canvas.current;
      if (painted === null || !isPainted.current) return undefined;
      const mask = document.createElement('canvas');
      mask.width = painted.width;
      mask.height = painted.height;
      const drawing = mask.getContext('2d');
      if (drawing === null) return undefined;
      drawing.fillStyle = '#000';
      drawing.fillRect(0, 0, mask.width, mask.height);
      drawing.globalCompositeOperation = 'destination-out';
      drawing.drawImage(painted, 0, 0);
      return new Promise((resolve) => mask.toBlob((blob) => resolve(blob ?? undefined), 'image/png'));
    },
  }));

  const fit = (): void => {
    const { current: at } = canvas;
    const { current: shown } = picture;
    if (at === null || shown === null || shown.naturalWidth === 0) return;
    at.width = shown.naturalWidth;
    at.height = shown.naturalHeight;
  };
  useEffect(fit, [url]);

  const paint = (event: PointerEvent<HTMLCanvasElement>): void => {
    if (event.buttons === 0) return;
    const at = event.currentTarget;
    const drawing = at.getContext('2d');
    if (drawing === null) return;
    const box = at.getBoundingClientRect();
    const scale = at.width / box.width;
    const point = { x: (event.clientX - box.left) * scale, y: (event.clientY - box.top) * scale };
    const from = last.current ?? point;
    drawing.strokeStyle = '#0f766e';
    drawing.lineWidth = brush * scale;
    drawing.lineCap = 'round';
    drawing.beginPath();
    drawing.moveTo(from.x, from.y);
    drawing.lineTo(point.x + 0.01, point.y);
    drawing.stroke();
    last.current = point;
    isPainted.current = true;
  };
  return (
    <div className="paint">
      <img ref={picture} src={url} alt={t('The image to change')} onLoad={fit} />
      <canvas
        ref={canvas}
        aria-label={t('Paint over what should change')}
        role="img"
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          last.current = undefined;
          paint(event);
        }}
        onPointerMove={paint}
      />
    </div>
  );
}
