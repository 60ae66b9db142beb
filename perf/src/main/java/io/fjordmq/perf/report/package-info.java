/**
 * The outputs of a run: an HTML page with plots, the same data as JSON, a terminal table, and the
 * comparison of two reports. No file is fetched from anywhere.
 */
@NullMarked
package io.fjordmq.perf.report;

import org.jspecify.annotations.NullMarked;
