/** What every component of a node uses to start, to run periodically and to close. */
@NullMarked
package io.fjordmq.broker.lifecycle;

import org.jspecify.annotations.NullMarked;
