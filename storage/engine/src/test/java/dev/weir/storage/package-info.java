/** Tests of the data model, and classes that several tests share. */
@NullMarked
package dev.weir.storage;

import org.jspecify.annotations.NullMarked;
