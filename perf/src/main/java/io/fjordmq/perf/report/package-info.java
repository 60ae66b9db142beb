/**
 * What people and programs read of a run: a page with plots, the same as JSON, lines for a
 * terminal, and two reports next to each other. No file is fetched from anywhere.
 */
@NullMarked
package io.fjordmq.perf.report;

import org.jspecify.annotations.NullMarked;
