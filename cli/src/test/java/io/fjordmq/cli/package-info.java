/** Tests of the commands against a server that responds with recorded JSON. */
@NullMarked
package io.fjordmq.cli;

import org.jspecify.annotations.NullMarked;
