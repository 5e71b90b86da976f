package dev.weir.scan;

import java.util.List;

import dev.weir.hash.FuzzyHash;

/**
 * The answer of a storage about one mail.
 *
 * @param hashes the queried hashes in the order of the parts
 * @param matches the known hashes in the same order
 */
public record CheckResult(List<FuzzyHash> hashes, List<HashMatch> matches) {}
