@NullMarked
package io.fjordmq.auth.redis;

import org.jspecify.annotations.NullMarked;
