/**
 * The outputs of a run: an HTML page with plots, the same data as JSON, a terminal table, and the
 * comparison of two reports. The page loads no other files.
 */
@NullMarked
package io.fjordmq.perf.report;

import org.jspecify.annotations.NullMarked;
