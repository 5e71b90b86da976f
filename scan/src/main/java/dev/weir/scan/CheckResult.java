package dev.weir.scan;

import java.util.List;

import dev.weir.hash.FuzzyHash;

/**
 * What a storage knows of a mail.
 *
 * @param hashes what was asked, in the order of the parts
 * @param matches what is known, in the same order
 */
public record CheckResult(List<FuzzyHash> hashes, List<HashMatch> matches) {}
