/** Tests of tables. */
@NullMarked
package io.fjordmq.cli.output;

import org.jspecify.annotations.NullMarked;
