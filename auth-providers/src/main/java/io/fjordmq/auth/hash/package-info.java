/** Password hashes as databases of other brokers store them. */
@NullMarked
package io.fjordmq.auth.hash;

import org.jspecify.annotations.NullMarked;
