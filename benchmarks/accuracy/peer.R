# One search of an R package on data in a file: Rscript peer.R PACKAGE:SEARCH FILE.csv
# Prints what benchmarks/accuracy/peer.py prints; with bdgraph:probabilities, BDgraph's posterior
# probability after each pair, from 5000 jumps.

given <- commandArgs(TRUE)
what <- strsplit(given[1], ":")[[1]]
data <- as.matrix(read.csv(given[2], header = FALSE))
n <- ncol(data)

pairs <- function(graph) {
  found <- which(graph & upper.tri(graph), arr.ind = TRUE)
  if (nrow(found) == 0) return("[]")
  after <- if (is.logical(graph)) "" else paste0(",", graph[found])
  paste0("[", paste0("[", found[, 1] - 1, ",", found[, 2] - 1, after, "]", collapse = ","), "]")
}

quietly <- function(code) suppressWarnings(suppressMessages(invisible(capture.output(code))))

# Its own hill climb for the highest pseudo-likelihood, and its search by 5000 jumps.
bdgraph <- function(search) {
  set.seed(0)
  binary <- all(data %in% 0:1)
  quietly(found <- bdgraph.mpl(data, method = if (binary) "dgm-binary" else "dgm",
    algorithm = if (search == "hc") search else "bdmcmc", iter = 5000, cores = 1,
    verbose = FALSE))
  if (search == "probabilities") return(list(graph = BDgraph::plinks(found, round = 4)))
  graph <- if (search == "hc") found$selected_graph else BDgraph::select(found)
  graph <- as.matrix(graph) != 0
  list(graph = graph | t(graph))
}

# IsingFit's method: L1 logistic regressions, the penalty by the extended BIC with gamma 1/4.
ebic <- function(search) {
  found <- matrix(FALSE, n, n)
  enough <- apply(data, 2, function(x) min(sum(x == 0), sum(x == 1)) > 1)
  for (i in which(enough)) {
    others <- setdiff(seq_len(n), i)
    path <- suppressWarnings(glmnet(data[, others], data[, i], family = "binomial"))
    logits <- predict(path, data[, others], type = "link")
    lost <- colSums(log1p(exp(-(2 * data[, i] - 1) * logits)))
    score <- 2 * lost + path$df * (log(nrow(data)) + 2 * 0.25 * log(n - 1))
    found[i, others] <- path$beta[, which.min(score)] != 0
  }
  list(and = found & t(found), or = found | t(found))
}

# The Markov blankets by hybrid HPC or semi-interleaved HITON-PC, or the best scoring directed graph.
bnlearn <- function(search) {
  frame <- as.data.frame(lapply(as.data.frame(data), function(x) factor(x, 0:max(x, 1))))
  names(frame) <- paste0("x", seq_len(n))
  found <- switch(search,
    hc = bnlearn::hc(frame, score = "bde", iss = 1),
    hpc = bnlearn::hpc(frame), mmpc = bnlearn::mmpc(frame),
    hiton = bnlearn::si.hiton.pc(frame), mmhc = bnlearn::mmhc(frame))
  skeleton <- bnlearn::amat(bnlearn::skeleton(found)) != 0
  if (search %in% c("hc", "mmhc"))
    list(moral = bnlearn::amat(bnlearn::moral(found)) != 0, skeleton = skeleton)
  else list(graph = skeleton)
}

package <- c(bdgraph = "BDgraph", glmnet = "glmnet", bnlearn = "bnlearn")[[what[1]]]
suppressPackageStartupMessages(library(package, character.only = TRUE))
search <- list(bdgraph = bdgraph, glmnet = ebic, bnlearn = bnlearn)[[what[1]]]
taken <- system.time(graphs <- search(what[2]))
kinds <- paste0("\"", names(graphs), "\": ", sapply(graphs, pairs), collapse = ", ")
cat(sprintf('\n{"graphs": {%s}, "seconds": %f, "version": "%s %s"}\n',
  kinds, taken[["user.self"]] + taken[["sys.self"]], package, packageVersion(package)))
