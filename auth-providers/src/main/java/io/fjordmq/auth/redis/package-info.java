/** Users and rules in Redis, in the layouts of EMQX 4 and 5. */
@NullMarked
package io.fjordmq.auth.redis;

import org.jspecify.annotations.NullMarked;
