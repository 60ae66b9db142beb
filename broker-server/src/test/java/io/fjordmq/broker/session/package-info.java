/** Tests of sessions and of their parts. */
@NullMarked
package io.fjordmq.broker.session;

import org.jspecify.annotations.NullMarked;
