/** Tests of the sizes that are computed for workloads. */
@NullMarked
package io.fjordmq.cli.sizing;

import org.jspecify.annotations.NullMarked;
