/**
 * Computes how many nodes a workload needs, and how large they must be, from the unit costs that
 * docs/PERFORMANCE.md measures. Pure arithmetic: it connects to nothing.
 */
@NullMarked
package io.fjordmq.cli.sizing;

import org.jspecify.annotations.NullMarked;
