/** The parts of a session one by one. */
@NullMarked
package io.fjordmq.broker.session;

import org.jspecify.annotations.NullMarked;
