/**
 * The outputs of a run: an HTML page with charts, which loads no other files, the same data as
 * JSON, and a table for the terminal. Also compares reports and evaluates targets.
 */
@NullMarked
package io.fjordmq.perf.report;

import org.jspecify.annotations.NullMarked;
