/** Runs the examples of docs/AUTHENTICATION.md with a node. */
@NullMarked
package io.fjordmq.auth.examples;

import org.jspecify.annotations.NullMarked;
