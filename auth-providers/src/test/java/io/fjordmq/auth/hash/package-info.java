@NullMarked
package io.fjordmq.auth.hash;

import org.jspecify.annotations.NullMarked;
