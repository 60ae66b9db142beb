// The one place that knows how elements are made: html`<p>${text}</p>` returns elements of Preact, and escapes text.
import { Component, Fragment, h, render } from 'preact';
import htm from 'htm';

export const html = htm.bind(h);
export { Component, Fragment, render };
export { useCallback, useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
