/** Who may connect and what they may do. */
@NullMarked
package io.fjordmq.broker.security;

import org.jspecify.annotations.NullMarked;
